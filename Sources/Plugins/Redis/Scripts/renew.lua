-- ARGV: owner, lease; 0 gives back what the owner holds. Returns whether there is more to look through.
local owner, most = ARGV[1], 5000
if tonumber(ARGV[2]) <= 0 then return give_back(owner, most) == most and 1 or 0 end
-- What has gone leaves the list as well.
local ids, still = take_held(owner, most), {}
for i, facts in ipairs(facts_of(ids)) do
  if facts and facts.owner == owner then still[#still + 1] = ids[i] end
end
call_with('RPUSH', held(owner), still)
if redis.call('EXISTS', held(owner)) == 1 then prolong(owner, ARGV[2]) end
return #ids == most and #still < most / 2 and 1 or 0
