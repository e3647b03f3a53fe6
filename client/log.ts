/** For whoever looks at the browser's console; nothing is shown, and no patient is named. */
export const log = (message: string): void => console.warn(message);
