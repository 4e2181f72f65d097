import HoistBase
import HoistCore
import HoistFlagship
import HoistJSON
import HoistTestSupport

/// Consent hits, and which hits pass without consent (5.6).
func runConsent(_ root: JSONValue, _ report: Report) {
  let world = FlagshipWorld(["env_id": root["envId"]?.string ?? "", "client_name": "<client>"]) { _ in answer(200) }
  guard let world else { return report.fail("-", expected: "a client", actual: "(none)") }
  var visitor: FlagshipVisitor?
  forEachCase(root) { id, test in
    world.flush()
    let before = world.posts("/").count
    let isGiven = test["consent"]?.bool ?? false
    switch test["step"]?.string ?? "" {
    case "newVisitor": visitor = world.visitor("consent_visitor") { $0.hasConsented = isGiven }
    case "sendHit(Screen)": _ = visitor?.send(.screen(location: Array("s".utf8)))
    default: _ = visitor?.setConsent(isGiven)
    }
    world.flush()
    let sent = world.posts("/").dropFirst(before).map(\.text)
    let expected = test["expected"]
    let bodies = expected?.array.map { Array($0) } ?? expected.map { [$0] } ?? []
    report.check(
      id, expected: bodies.map { normalizedBatch($0) }.joined(separator: " ; "),
      actual: sent.map { normalizedBatch($0) }.joined(separator: " ; "))
  }
}
