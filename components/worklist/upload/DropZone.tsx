import { type ReactNode, useRef, useState } from "react";

interface DropZoneProps {
  label: string;
  labelWhileOver: string;
  hint: string;
  chooseFolder: string;
  chooseFiles: string;
  /** accepted extensions for the file picker, e.g. `.dcm,.dicom` */
  accept: string;
  /** whether files were selected: the zone is then reduced to one line */
  isCompact?: boolean;
  onFiles: (list: FileList) => void;
  onDrop: (transfer: DataTransfer) => void;
  children?: ReactNode;
}

/** Selection of files and folders by drag and drop or file picker. */
export function DropZone(props: DropZoneProps) {
  const {
    label,
    labelWhileOver,
    hint,
    chooseFolder,
    chooseFiles,
    accept,
    onFiles,
    onDrop,
    children,
  } = props;
  const { isCompact = false } = props;
  const [isOver, setOver] = useState(false);
  const files = useRef<HTMLInputElement>(null), folder = useRef<HTMLInputElement>(null);
  const take = (input: HTMLInputElement) => {
    if (input.files && input.files.length > 0) onFiles(input.files);
    // clears the field, so that the same folder can be selected again
    input.value = "";
  };
  const picker =
    "h-9 px-4 rounded-md border border-line-strong bg-white text-sm font-medium text-brand-700 hover:bg-brand-50";
  return (
    <div
      // resets the drag state, so that an immediate second drop is accepted
      onDragEnter={(event) => event.preventDefault()}
      onDragOver={(event) => {
        event.preventDefault();
        event.stopPropagation();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        // stops the event: the page's handler would add the dropped files a second time
        event.stopPropagation();
        setOver(false);
        onDrop(event.dataTransfer);
      }}
      className={`rounded-xl border-2 border-dashed ${
        isCompact ? "flex items-center justify-between px-4 py-2" : "px-6 py-10 text-center"
      } ${isOver ? "border-brand-500 bg-brand-50" : "border-line-strong bg-canvas"}`}
    >
      <div>
        <p className={isCompact ? "text-ink" : "text-base font-medium text-ink"}>
          {isOver ? labelWhileOver : label}
        </p>
        {!isCompact && <p className="mt-1 text-[13px] text-ink-faint">{hint}</p>}
      </div>
      <div className={isCompact ? "flex gap-2" : "mt-4 flex justify-center gap-2"}>
        <button
          type="button"
          className={picker}
          data-autofocus
          onClick={() => folder.current?.click()}
        >
          {chooseFolder}
        </button>
        <button type="button" className={picker} onClick={() => files.current?.click()}>
          {chooseFiles}
        </button>
      </div>
      <input
        ref={folder}
        type="file"
        multiple
        hidden
        data-pick="folder"
        aria-label={chooseFolder}
        onChange={(event) => take(event.currentTarget)}
        {...{ webkitdirectory: "" }}
      />
      <input
        ref={files}
        type="file"
        multiple
        hidden
        data-pick="files"
        accept={accept}
        aria-label={chooseFiles}
        onChange={(event) => take(event.currentTarget)}
      />
      {children}
    </div>
  );
}
