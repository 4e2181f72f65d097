-- ARGV: owner, lease; 0 gives back what the owner holds. Returns whether there is more to give back.
local most = 5000
if tonumber(ARGV[2]) > 0 then
  -- What purges have left of the oldest.
  local places, gone = redis.call('ZRANGE', held(ARGV[1]), 0, 99), {}
  for i, facts in ipairs(facts_at(places)) do
    if not facts then gone[#gone + 1] = places[i] end
  end
  call_with('ZREM', held(ARGV[1]), gone)
  if redis.call('EXISTS', held(ARGV[1])) == 1 then prolong(ARGV[1], ARGV[2]) end
  return 0
end
return give_back(ARGV[1], most) == most and 1 or 0
