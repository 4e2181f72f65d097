-- KEYS[3]: who leads the value, a hash of "holder", "number" and "until". ARGV: holder, "" only looks; for how long, 0 gives the
-- lead back. Returns the number of the holder's lead, 0 for none, and the version of the value.
local lead, time, number = redis.call('HMGET', KEYS[3], 'holder', 'number', 'until'), now(), 0
local is_own = ARGV[1] ~= '' and lead[1] == ARGV[1]
if is_own and ARGV[2] == '0' then
  redis.call('HDEL', KEYS[3], 'holder', 'until')
elseif ARGV[1] ~= '' and ARGV[2] ~= '0' and (is_own or tonumber(lead[3] or 0) <= time) then
  -- Also greater than those of a server that has lost its data since.
  number = is_own and tonumber(lead[2]) or math.max(tonumber(lead[2] or 0) + 1, time * 1000)
  -- Without memory, what has removed something may add.
  redis.call('HDEL', KEYS[3], 'until')
  redis.call('HSET', KEYS[3], 'holder', ARGV[1], 'number', ('%.0f'):format(number), 'until', ('%.0f'):format(time + ARGV[2]))
end
return { number, version() }
