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

  var json: JSON { ["name": .string(name), "outcome": .string(outcome.rawValue), "message": .string(message)] }
}
