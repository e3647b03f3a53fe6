/** Writes to the browser's console, for developers and support; without patient data. */
export const log = (message: string): void => console.warn(message);
