/// A small program around the SQLite cache manager for the crash tests: a tracer kills it, or fails
/// its system calls, and what it had reported as done must be there afterwards.
import Glibc
import HoistBase
import HoistCore
import HoistSQLite

func report(_ line: String) {
  // One write, so that a kill leaves whole lines.
  let bytes = Array((line + "\n").utf8)
  _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

func attempt(_ what: String, _ body: () throws -> Void) {
  do {
    try body()
    report("done \(what)")
  } catch let failure as CacheFailure {
    report("failed \(what): \(failure.message)")
  } catch {
    report("failed \(what)")
  }
}

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { exit(64) }
let count = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0
var entropy = SystemRandomNumberGenerator()
let owner = EventOwner(id: OwnerIdentity.make(nonce: entropy.next()).text, leaseMilliseconds: 60_000)
let options = SQLiteCacheManager.Options(folder: arguments[2], vendor: "probe", keyDigest: "00")
let manager = SQLiteCacheManager(options: options, clock: SystemClock()) { report("warning \($0)") }

switch arguments[1] {
case "write":
  // Reports each step once it is committed.
  for number in 0..<count {
    attempt("flags \(number)") { try manager.save(key: "flags", value: Array("version \(number)".utf8)) }
    if number == 0 { attempt("visitor") { try manager.save(key: "visitor:a", value: Array("head".utf8)) } }
    attempt("addition \(number)") {
      let isDone = try manager.append(key: "visitor:a", to: Array("head".utf8), Array(" \(number)".utf8))
      if !isDone { throw CacheFailure("there is nothing to add to") }
    }
    attempt("row \(number)") {
      let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 700)
      let row = EventRow(id: "\(number)", pipeline: "events", createdUnixMilliseconds: Int64(number), payload: payload)
      try manager.putEvents([row], owner: owner)
    }
    if number % 3 == 2 {
      attempt("gone \(number - 1)") { try manager.removeEvents(ids: ["\(number - 1)"], owner: owner) }
    }
  }
  if arguments.last == "hang" { while true { pause() } }
  manager.close()
case "read", "hold":
  attempt("reading") {
    if let value = try manager.load(key: "flags") { report("flags " + String(decoding: value, as: UTF8.self)) }
    if let value = try manager.load(key: "visitor:a") { report("visitor " + String(decoding: value, as: UTF8.self)) }
    let rows = try manager.claimEvents(pipeline: "events", maximumRows: 100_000, maximumBytes: 1 << 30, owner: owner)
    for row in rows { report("row \(row.id) \(row.payload.count)") }
  }
  if arguments[1] == "hold" { while true { pause() } }
case "compete":
  // Takes rows one by one, beside other processes that do the same.
  var misses = 0
  while misses < 20 {
    do {
      let rows = try manager.claimEvents(pipeline: "events", maximumRows: 3, maximumBytes: 1 << 20, owner: owner)
      misses = rows.isEmpty ? misses + 1 : 0
      for row in rows { report("row \(row.id)") }
      try manager.removeEvents(ids: rows.map(\.id), owner: owner)
    } catch {
      misses += 1
    }
    usleep(200)
  }
case "record", "record-closed", "record-periodic", "deliver", "both", "fork":
  runPipeline(arguments[1], folder: arguments[2], count: count, sink: arguments.count > 4 ? arguments[4] : "/dev/null")
case "refuse":
  runRefusal(folder: arguments[2], count: count, sink: arguments.count > 4 ? arguments[4] : "/dev/null")
default:
  exit(64)
}
