import type { ReactNode } from "react";
import { Logo } from "@/components/page/Logo.tsx";

interface HeaderFrameProps {
  /** title of the page, next to the product's name */
  title?: ReactNode;
  homeLabel: string;
  children: ReactNode;
}

/** Header bar of all pages of a signed-in user, 56 px high. */
export function HeaderFrame({ title, homeLabel, children }: HeaderFrameProps) {
  return (
    <header className="page-bar h-14 px-5 flex items-center gap-4 bg-white border-b border-line">
      <a href="/" aria-label={`Sulcus, ${homeLabel}`} className="flex items-center gap-2.5 rounded">
        <Logo className="w-8 h-8" />
        <span className="text-lg font-semibold tracking-tight text-ink">Sulcus</span>
      </a>
      {title && <span className="pl-4 border-l border-line text-sm text-ink-soft">{title}</span>}
      {/* aligned to the end: controls that load later move nothing */}
      <div className="flex-1 flex justify-end items-center gap-3">{children}</div>
    </header>
  );
}
