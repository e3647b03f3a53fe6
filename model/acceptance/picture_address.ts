/** A picture that a reader must check in an acceptance test. */
export interface PictureInTest {
  test: number;
  /** position of the picture in the test, from 0 */
  place: number;
}

/** Address of the viewer page in which a reader answers about a picture. */
export const pictureAddress = (pid: number, { test, place }: PictureInTest): string =>
  `/viewer/${pid}?acceptance=${test}&picture=${place}`;

/** Address of a picture's image, which must be loaded before the reader can judge it. */
export const imageAddress = ({ test, place }: PictureInTest): string =>
  `/api/v1/acceptances/${test}/pictures/${place}`;

/** Parses the picture in a viewer address; `null`: the viewer was not opened for a picture. */
export function pictureIn(search: string): PictureInTest | null {
  const query = new URLSearchParams(search);
  const [test, place] = [query.get("acceptance") ?? "", query.get("picture") ?? ""];
  return /^[1-9]\d{0,14}$/.test(test) && /^\d{1,2}$/.test(place)
    ? { test: Number(test), place: Number(place) }
    : null;
}
