import type { ReactNode } from "react";

interface TooltipProps {
  /** id of the tooltip, unique on the page */
  id: string;
  text: string;
  /** class names of the element with the tooltip */
  className?: string;
  children: ReactNode;
}

/** Tooltip of a hovered or focused element, which screen readers read as a description. */
export function Tooltip({ id, text, className = "", children }: TooltipProps) {
  return (
    <span className={`tooltip-anchor ${className}`} tabIndex={0} aria-describedby={id}>
      {children}
      <span role="tooltip" id={id} className="tooltip">{text}</span>
    </span>
  );
}
