/** The product's logo; equal to `static/logo.svg`. */
export function Logo({ className = "w-8 h-8" }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#176279" />
      <g fill="none" stroke="#fff" strokeWidth="2.2" strokeLinecap="round" strokeLinejoin="round">
        <path d="M22.6 8.6c-3.2-3-9.2-2.9-12 .2-2.3 2.5-1.5 5.6 1.5 6.5 2.7.8 5.4.4 7.7 1.5 2.9 1.4 2.6 5 .1 6.7-3 2-7.7 1.6-10.4-.8" />
        <path d="M25.2 13.2c1.4 3.6.9 7.6-1.5 10.5M6.6 19.4c-1.5-3.3-1.1-7.2 1-10" opacity=".55" />
      </g>
    </svg>
  );
}
