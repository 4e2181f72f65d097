import HoistJSON

/// One thing the doctor looked at.
struct Check {
  enum Outcome: String {
    case ok, warning, failed, skipped

    var color: Color {
      switch self {
      case .ok: .green
      case .warning: .yellow
      case .failed: .red
      case .skipped: .faint
      }
    }
  }

  let name: String
  let outcome: Outcome
  let message: String

  init(_ name: String, _ outcome: Outcome, _ message: String) {
    self.name = name
    self.outcome = outcome
    self.message = message
  }

  var cells: [Table.Cell] { [.init(name), .init(outcome.rawValue, outcome.color), .init(message)] }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      for (key, text) in [("name", name), ("outcome", outcome.rawValue), ("message", message)] {
        writer.member(key, text)
      }
    }
  }
}
