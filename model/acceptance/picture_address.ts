/** A picture of an acceptance test. */
export interface PictureInTest {
  test: number;
  /** position of the picture in the test, from 0 */
  place: number;
}

/** Address of the viewer with the answers about a picture. */
export const pictureAddress = (pid: number, { test, place }: PictureInTest): string =>
  `/viewer/${pid}?acceptance=${test}&picture=${place}`;

/** The picture in the query of the viewer's address; `null`: the viewer is not opened for one. */
export function pictureIn(search: string): PictureInTest | null {
  const query = new URLSearchParams(search);
  const [test, place] = [query.get("acceptance") ?? "", query.get("picture") ?? ""];
  return /^[1-9]\d{0,14}$/.test(test) && /^\d{1,2}$/.test(place)
    ? { test: Number(test), place: Number(place) }
    : null;
}
