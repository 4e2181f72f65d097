-- ARGV: owner, and the ids of events.
local own = held(ARGV[1])
for i = 2, #ARGV do
  local facts = facts_of(ARGV[i])
  if facts and redis.call('ZREM', own, place(facts.number, ARGV[i])) == 1 then forget(ARGV[i], facts) end
end
return 1
