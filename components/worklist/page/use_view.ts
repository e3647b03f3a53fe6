import { useEffect, useState } from "react";

/** Storage key of the choice between table and cards. */
const VIEW_KEY = "worklist_view";

/** Whether the list is shown as cards; the choice is stored in this browser. */
export function useView(): [isCards: boolean, choose: (isCards: boolean) => void] {
  const [isCards, setCards] = useState(false);
  useEffect(() => setCards(localStorage.getItem(VIEW_KEY) === "cards"), []);
  return [isCards, (cards) => {
    setCards(cards);
    localStorage.setItem(VIEW_KEY, cards ? "cards" : "table");
  }];
}
