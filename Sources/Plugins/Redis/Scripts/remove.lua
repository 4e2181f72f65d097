-- ARGV: owner, and the ids of events.
local ids, theirs, own = {}, {}, held(ARGV[1])
for i = 2, #ARGV do ids[i - 1] = ARGV[i] end
local gone = {}
for i, facts in ipairs(facts_of(ids)) do
  if facts and redis.call('ZREM', own, place(facts.number, ids[i])) == 1 then
    gone[#gone + 1], theirs[#theirs + 1] = ids[i], facts
  end
end
forget(gone, theirs)
return 1
