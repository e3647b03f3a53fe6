import type { ReactNode } from "react";

interface TooltipProps {
  /** of the words, the only one on the page */
  id: string;
  text: string;
  /** class names of the element that is pointed at */
  className?: string;
  children: ReactNode;
}

/**
 * Words that appear over something pointed at or focused, and that a screen reader reads as its
 * description.
 */
export function Tooltip({ id, text, className = "", children }: TooltipProps) {
  return (
    <span className={`tooltip-anchor ${className}`} tabIndex={0} aria-describedby={id}>
      {children}
      <span role="tooltip" id={id} className="tooltip">{text}</span>
    </span>
  );
}
