import HoistBase
import HoistCore
import HoistJSON
import HoistTestSupport

@testable import HoistOptimizely

/// Which queued events travel together.
func runEventBatching(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let limit = Int(test["batchSize"]?.int64 ?? 1)
    let batches = (try? split(test["queued"]?.array?.map { row(of: $0) } ?? [], limit: limit)) ?? []
    report.check(
      id, expected: test["expectBatches"]?.canonicalText ?? "-",
      actual: canonical { writer in
        writer.array { writer in
          for batch in batches { writer.array { writer in for index in batch { writer.int(index) } } }
        }
      })
  }
}

/// As the pipeline does: of the rows that fit into a batch, those that the policy lets travel together.
private func split(_ rows: [EventRow], limit: Int) throws -> [Range<Int>] {
  let host = TestHost()
  let settings = try OptimizelySettings(TestHost.values(["sdk_key": "k"], table: OptimizelyProperties.table))
  let policy = OptimizelyEventPolicy(
    settings: settings, notifications: NotificationCenter(host: host), host: host, snapshots: ServedSnapshots())
  var batches: [Range<Int>] = []
  while let start = batches.last.map(\.upperBound) ?? 0 as Int?, start < rows.count {
    let length = policy.batchLength(Array(rows[start...].prefix(max(1, limit))))
    batches.append(start..<(start + length))
  }
  return batches
}

private func row(of queued: JSONValue) -> EventRow {
  let event = UserEvent(
    projectID: bytes(queued["projectId"]), revision: bytes(queued["revision"]),
    region: queued["region"]?.string == "EU" ? .eu : .us, head: [], visitor: [0x7B, 0x7D])
  return EventRow(
    id: "", pipeline: "events", createdUnixMilliseconds: 0, payload: RecordedEvent.withRow(of: event, url: []) { Array($0) })
}
