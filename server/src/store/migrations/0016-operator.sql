-- Why the operator has taken a model out of service; only the operator puts it back.
ALTER TABLE models ADD COLUMN blocked_reason text;

-- What the operator sets while the service runs holds on every instance at once.
CREATE TRIGGER settings_change AFTER INSERT OR UPDATE OR DELETE ON settings FOR EACH STATEMENT EXECUTE FUNCTION announce_change('settings');
