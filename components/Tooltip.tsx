import { type ReactNode, useId } from "react";

interface TooltipProps {
  text: string;
  /** class names of the element that is pointed at */
  className?: string;
  children: ReactNode;
}

/** Words that appear over something pointed at or focused, and that a screen reader reads as its description. */
export function Tooltip({ text, className = "", children }: TooltipProps) {
  const id = useId();
  return (
    <span className={`tooltip-anchor ${className}`} tabIndex={0} aria-describedby={id}>
      {children}
      <span role="tooltip" id={id} className="tooltip">{text}</span>
    </span>
  );
}
