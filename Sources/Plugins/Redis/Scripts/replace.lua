-- ARGV: change, time to live, whether something is expected, the expected payload, whether there is a new one, the new payload, for
-- how long that is of use.
-- Returns 1, or what is kept in place of the expected: a text, or nothing.
local kept = redis.call('HMGET', KEYS[2], 'payload', 'by')
if kept[1] and kept[2] == ARGV[1] then return 1 end
if ARGV[3] == '1' then
  if not kept[1] then return false end
  if kept[1] ~= ARGV[4] then return kept[1] end
elseif kept[1] then
  return kept[1]
end
if ARGV[5] == '1' then return keep(ARGV[6], ARGV[2], ARGV[1], ARGV[7]) end
redis.call('DEL', KEYS[2])
return 1
