/** Log in the browser console, for developers and support; without patient data. */
export const log = (message: string): void => console.warn(message);
