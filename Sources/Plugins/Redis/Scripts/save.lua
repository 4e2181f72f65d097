-- ARGV: change, time to live, payload.
return keep(ARGV[3], ARGV[2], ARGV[1])
