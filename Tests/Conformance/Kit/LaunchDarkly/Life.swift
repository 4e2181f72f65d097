import HoistJSON
import HoistLaunchDarkly

/// Between which delays chance decides before a try to go online proceeds (protocol 5.4).
func runThrottle(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    var pace = ThrottlePace()
    let calls = test["call_times_ms"]?.array.map(Array.init) ?? []
    let actual = calls.map { call -> String in
      let delays = pace.next(at: call.int64 ?? 0)
      return "\(delays.lowerBound)…\(delays.upperBound)"
    }
    let expected = (test["delays_ms"]?.array.map(Array.init) ?? []).map { delays -> String in
      let ends = delays.array.map(Array.init)?.compactMap(\.double) ?? []
      return ends.count == 2 ? "\(Int64(ends[0]))…\(Int64(ends[1]))" : "-"
    }
    report.check(id, expected: expected.joined(separator: ", "), actual: actual.joined(separator: ", "))
  }
}

/// Which changes of the context run, wait, or give way to newer ones (protocol 5.5).
func runIdentifyQueue(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    var queue = SheddingQueue<Int64>()
    var callbacks: [(id: Int64, result: String)] = []
    for step in test["ops"]?.array.map(Array.init) ?? [] {
      if let work = step["id"]?.int64 {
        let outcome = queue.add(work, isSheddable: step["sheddable"]?.bool ?? false)
        if case .sheds(let former) = outcome { callbacks.append((former, "shed")) }
      } else if let done = queue.inFlight {
        callbacks.append((done, "complete"))
        _ = queue.finish()
      }
    }
    let actual = canonical { writer in
      writer.object { writer in
        writer.key("callbacks")
        writer.array { writer in
          for callback in callbacks {
            writer.object { writer in
              writer.key("id")
              writer.int(callback.id)
              writer.member("result", callback.result)
            }
          }
        }
        writer.key("in_flight_at_end")
        if let inFlight = queue.inFlight { writer.int(inFlight) } else { writer.null() }
        writer.key("waiting_at_end")
        writer.array { writer in for work in queue.waiting { writer.int(work) } }
      }
    }
    let expected = ["callbacks", "in_flight_at_end", "waiting_at_end"].map { name in
      "\"\(name)\":\(test.object?.member(name)?.canonicalText ?? "-")"
    }
    report.check(id, expected: "{\(expected.joined(separator: ","))}", actual: actual)
  }
}
