/// The figures as Prometheus reads them: text format 0.0.4.
enum MetricsPage {
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private static let counters: [(name: String, meaning: String, part: @Sendable (ForwardFigures.Queue) -> Double)] = [
    ("taken", "Taken from the source: events of Redis, records of Kafka.", { $0.taken }),
    ("sent", "Accepted by the service.", { $0.sent }),
    ("refused", "Refused for good.", { $0.refused }),
    ("expired", "Too old for the service.", { $0.expired }),
    ("forgotten", "Forgotten on request.", { $0.forgotten }),
    ("retried", "Attempts after the first.", { $0.retried }),
  ]

  static func text(_ figures: ForwardFigures) -> String {
    var text = ""
    func add(_ name: String, _ type: String, _ meaning: String, _ part: (ForwardFigures.Queue) -> Double) {
      text += "# HELP hoist_forward_\(name) \(meaning)\n# TYPE hoist_forward_\(name) \(type)\n"
      for queue in figures.queues { text += "hoist_forward_\(name){queue=\"\(escaped(queue.name))\"} \(part(queue))\n" }
    }
    for counter in counters { add("\(counter.name)_total", "counter", counter.meaning, counter.part) }
    add("waiting", "gauge", "Taken, and not done with yet.") { $0.waiting }
    switch figures.unit {
    case .events: add("lag_seconds", "gauge", "Age of the oldest of them.") { $0.lag }
    case .records: add("lag_records", "gauge", "Records of this member's partitions that are not done with.") { $0.lag }
    }
    return text
  }

  private static func escaped(_ label: String) -> String {
    var escaped = ""
    for scalar in label.unicodeScalars {
      switch scalar {
      case "\\", "\"": escaped += "\\\(scalar)"
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
