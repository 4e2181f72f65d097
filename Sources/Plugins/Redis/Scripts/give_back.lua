-- ARGV: owner, and the ids of events.
local ids = {}
for i = 2, #ARGV do ids[i - 1] = ARGV[i] end
set_free(ARGV[1], ids)
return 1
