// One language for every list: IDs are no words, and each list has then the same order.
const collator = new Intl.Collator("en", { numeric: true });

/**
 * Compares patient IDs for lists: numbers in them by value ("P-2" before "P-10"), and letters
 * regardless of case unless nothing else differs. 0 for "P-2" and "P-02".
 */
export const compareIds: (a: string, b: string) => number = collator.compare;
