-- ARGV: owner, and the ids of events.
local ids, gone, theirs = {}, {}, {}
for i = 2, #ARGV do ids[i - 1] = ARGV[i] end
for i, facts in ipairs(facts_of(ids)) do
  if facts and facts.owner == ARGV[1] then gone[#gone + 1], theirs[#theirs + 1] = ids[i], facts end
end
forget(gone, theirs)
return 1
