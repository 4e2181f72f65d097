/// The figures as Prometheus reads them: text format 0.0.4.
enum MetricsPage {
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  private static let counters: [(name: String, meaning: String, part: @Sendable (ForwardFigures.Queue) -> Double)] = [
    ("taken", "Events taken from the source.", { $0.taken }),
    ("sent", "Events that the service has accepted.", { $0.sent }),
    ("refused", "Events that the service has refused for good.", { $0.refused }),
    ("expired", "Events that were too old.", { $0.expired }),
    ("forgotten", "Events that were forgotten on request.", { $0.forgotten }),
    ("retried", "Attempts after the first.", { $0.retried }),
  ]

  static func text(_ figures: ForwardFigures) -> String {
    var text = ""
    for counter in counters {
      add("hoist_forward_\(counter.name)_total", "counter", counter.meaning, figures, counter.part, to: &text)
    }
    add("hoist_forward_waiting", "gauge", "Events taken and not sent yet.", figures, { $0.waiting }, to: &text)
    add("hoist_forward_lag_seconds", "gauge", "Age of the oldest of them.", figures, { $0.oldestMilliseconds / 1000 }, to: &text)
    return text
  }

  private static func add(
    _ name: String, _ type: String, _ meaning: String, _ figures: ForwardFigures, _ part: (ForwardFigures.Queue) -> Double,
    to text: inout String
  ) {
    text += "# HELP \(name) \(meaning)\n# TYPE \(name) \(type)\n"
    for queue in figures.queues { text += "\(name){queue=\"\(escaped(queue.name))\"} \(part(queue))\n" }
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
