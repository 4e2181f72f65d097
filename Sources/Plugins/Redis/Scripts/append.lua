-- ARGV: change, time to live, how the payload has to begin, what comes behind it.
-- Returns 1, 0 where it begins otherwise, or nothing where there is none.
local kept = redis.call('HMGET', KEYS[2], 'payload', 'by', 'life')
if not kept[1] then return false end
if kept[2] == ARGV[1] then return 1 end
if kept[1]:sub(1, #ARGV[3]) ~= ARGV[3] then return 0 end
return keep(kept[1] .. ARGV[4], ARGV[2], ARGV[1], kept[3])
