-- A guardrail hook may be asked about the sections of a streamed answer, so that the client need not wait for its end.
-- Versions from schema 145 on run with it.
ALTER TABLE guardrail_hooks
  ADD COLUMN stream_mode text NOT NULL DEFAULT 'whole' CHECK (stream_mode IN ('whole', 'sections')),
  ADD COLUMN section_characters integer NOT NULL DEFAULT 500 CHECK (section_characters BETWEEN 50 AND 20000);
