import { useState } from "preact/hooks";
import { ProblemNote } from "../../view/problem";
import { told as problemOf } from "../../view/use_answer";
import { Icon } from "../../view/icons";
import type { Annotation } from "../../core/annotations";
import type { Day } from "../../core/calendar";
import { dayText } from "../../core/dates";
import { t } from "../../core/language";
import type { Problem } from "../../core/problem";
import { post, remove } from "../../shell/ask";

interface Props {
  readonly notes: readonly Annotation[];
  /** The day that a new note is about at first. */
  readonly day: Day;
  readonly mayWrite: boolean;
  readonly onChange: () => void;
}

/** What people pinned to the days that are shown, and a way to pin more. */
export function Notes({ notes, day, mayWrite, onChange }: Props) {
  const [isWriting, write] = useState(false);
  const [problem, tell] = useState<Problem | null>(null);
  const act = async (action: Promise<unknown>) => {
    const fault = await action.then(() => null, problemOf);
    tell(fault);
    if (fault !== null) return;
    write(false);
    onChange();
  };
  if (notes.length === 0 && !mayWrite) return null;
  return (
    <section class="notes" aria-label={t().history.notes}>
      {notes.length > 0 && (
        <ul>
          {notes.map((note) => (
            <Note
              key={note.annotation_id}
              note={note}
              onRemove={
                mayWrite ? () => void act(remove(`/annotations/${note.annotation_id}`)) : null
              }
            />
          ))}
        </ul>
      )}
      {problem && <ProblemNote problem={problem} />}
      {mayWrite &&
        (isWriting ? (
          <NoteForm
            day={day}
            onKeep={(wish) => void act(post("/annotations", wish))}
            onCancel={() => write(false)}
          />
        ) : (
          <button type="button" class="link-button" onClick={() => write(true)}>
            <Icon name="pin" /> {t().history.pin}
          </button>
        ))}
    </section>
  );
}

interface NoteProps {
  readonly note: Annotation;
  readonly onRemove: (() => void) | null;
}

/** It takes two presses to remove one: it is gone for everyone. */
function Note({ note, onRemove }: NoteProps) {
  const [isSure, ask] = useState(false);
  const told = t().history;
  return (
    <li>
      <Icon name="pin" />
      <span>
        <b>{dayText(note.day)}</b> {note.text}
        {note.author && <small> {note.author}</small>}
      </span>
      {onRemove && (
        <button
          type="button"
          class="link-button"
          onClick={() => (isSure ? onRemove() : ask(true))}
          onBlur={() => ask(false)}
        >
          {isSure ? told.reallyRemove : told.remove}
          <span class="visually-hidden"> {note.text}</span>
        </button>
      )}
    </li>
  );
}

interface NoteFormProps {
  readonly day: Day;
  readonly onKeep: (wish: { readonly day: Day; readonly text: string }) => void;
  readonly onCancel: () => void;
}

function NoteForm({ day: start, onKeep, onCancel }: NoteFormProps) {
  const [day, choose] = useState(start);
  const [text, write] = useState("");
  const told = t().history;
  return (
    <form
      class="note-form"
      onSubmit={(event) => {
        event.preventDefault();
        onKeep({ day, text });
      }}
    >
      <label>
        {told.noteDay}
        <input
          type="date"
          required
          value={day}
          onInput={(event) => choose(event.currentTarget.value)}
        />
      </label>
      <label class="note-text">
        {told.noteText}
        <input
          type="text"
          required
          autofocus
          maxLength={500}
          value={text}
          onInput={(event) => write(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="tool strong">
        {told.keepNote}
      </button>
      <button type="button" class="tool" onClick={onCancel}>
        {told.cancel}
      </button>
    </form>
  );
}
