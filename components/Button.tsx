import type { ButtonHTMLAttributes } from "react";

const KINDS = {
  primary: "bg-brand-600 text-white border-brand-600 hover:bg-brand-700 hover:border-brand-700",
  plain: "bg-white text-ink border-line-strong hover:bg-canvas hover:border-ink-faint",
  quiet: "bg-transparent text-ink-soft border-transparent hover:bg-brand-50 hover:text-brand-700",
  danger: "bg-red-700 text-white border-red-700 hover:bg-red-800 hover:border-red-800",
} as const;
const SIZES = { small: "h-8 px-3 text-[13px]", normal: "h-10 px-4 text-sm" } as const;

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: keyof typeof KINDS;
  size?: keyof typeof SIZES;
  /** whether the button receives the focus when a dialog opens */
  "data-autofocus"?: boolean;
}

/** A push button; `type` is "button" by default. */
export function Button(
  { kind = "plain", size = "normal", className = "", type, ...rest }: ButtonProps,
) {
  return (
    <button
      {...rest}
      type={type ?? "button"}
      className={`inline-flex items-center justify-center gap-2 rounded-md border font-medium whitespace-nowrap transition-colors disabled:opacity-50 disabled:pointer-events-none ${
        KINDS[kind]
      } ${SIZES[size]} ${className}`}
    />
  );
}
