import HoistCore
import HoistTestSupport
@testable import HoistLaunchDarkly

/// Writes down what it is told.
final class NotingObserver: ChangeObserver, @unchecked Sendable {
  let name: String
  let told: Locked<[String]>
  var then: (() -> Void)?

  init(_ name: String, _ told: Locked<[String]>) { (self.name, self.told) = (name, told) }

  func changed(_ changes: [FlagChange]) {
    note(changes.map { "\($0.key.string) \($0.oldValue?.string ?? "-")>\($0.newValue?.string ?? "-")" }.joined(separator: ", "))
  }
  func unchanged() { note("unchanged") }
  func connectionModeChanged(_ mode: Int32) { note("mode \(mode)") }
  func rulesChanged(_ keys: [CText]) { note("rules " + keys.map(\.string).joined(separator: ",")) }

  private func note(_ text: String) {
    told.change { $0.append("\(name): \(text)") }
    then?()
  }
}
