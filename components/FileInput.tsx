interface FileInputProps {
  label: string;
  /** MIME types and endings, as of an `accept` attribute */
  accept: string;
  disabled: boolean;
  onFile: (file: File) => void;
}

/** File field; it is cleared after a choice, so that the same file can be selected again. */
export function FileInput({ label, accept, disabled, onFile }: FileInputProps) {
  return (
    <label className="text-[13px]">
      {label}{" "}
      <input
        type="file"
        accept={accept}
        disabled={disabled}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          event.currentTarget.value = "";
          if (file) onFile(file);
        }}
      />
    </label>
  );
}
