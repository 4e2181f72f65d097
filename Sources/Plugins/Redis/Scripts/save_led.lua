-- KEYS[3]: who leads the value. ARGV: change, time to live, payload, the number of the writer's lead. Returns the version, or 0
-- where another has led since.
if redis.call('HGET', KEYS[3], 'number') ~= ARGV[4] then return 0 end
keep(ARGV[3], ARGV[2], ARGV[1])
return version()
