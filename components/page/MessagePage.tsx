import { Logo } from "@/components/page/Logo.tsx";

interface MessagePageProps {
  /** number or word above the message, e.g. 404 */
  mark: string;
  title: string;
  text?: string;
  action: { label: string; href: string };
  /** whether the page is below the header bar, which contains the logo */
  isInShell?: boolean;
}

/** Page that shows only a message: not found, forbidden, or failed. */
export function MessagePage({ mark, title, text, action, isInShell = false }: MessagePageProps) {
  return (
    <main className={`${isInShell ? "min-h-[80vh]" : "min-h-screen"} grid place-items-center p-6`}>
      <div className="w-full max-w-[460px] text-center">
        {!isInShell && <Logo className="w-12 h-12 mx-auto mb-8" />}
        <p className="text-sm font-semibold tracking-widest text-brand-600">{mark}</p>
        <h1 className="mt-2 text-2xl font-semibold text-ink">{title}</h1>
        {text && <p className="mt-3 text-sm text-ink-soft break-words">{text}</p>}
        <a
          href={action.href}
          className="mt-8 inline-flex h-10 items-center rounded-md bg-brand-600 px-5 text-sm font-medium text-white hover:bg-brand-700"
        >
          {action.label}
        </a>
      </div>
    </main>
  );
}
