-- Files that messages name by their ids. Their content is encrypted with the service's secret.
ALTER TABLE files DROP CONSTRAINT files_purpose_check;
ALTER TABLE files ADD CHECK (purpose IN ('batch', 'batch_output', 'user_data', 'vision', 'assistants'));
ALTER TABLE files ADD COLUMN media_type text;
-- The size before encryption. NULL: the content is not encrypted.
ALTER TABLE files ADD COLUMN bytes integer;
