import HoistBase
import HoistCore
import HoistFlagship
import HoistJSON
import HoistTestSupport

/// Ids through authenticating and back (5.7): the visitor's, and those in the request for decisions, in an activate and
/// in a hit.
func runExperienceContinuity(_ root: JSONValue, _ report: Report) {
  forEachCase(root) { id, test in
    let name = test["newVisitor"]?["visitorId"]?.string ?? ""
    let world = FlagshipWorld { $0.url.contains("/campaigns") ? answer(200, FlagshipWorld.oneCampaign) : answer(200) }
    let visitor = world?.visitor(name) { $0.isAuthenticated = test["newVisitor"]?["isAuthenticated"]?.bool ?? false }
    guard let world, let visitor else { return report.fail(id, expected: "a visitor", actual: "(none)") }
    var ids = ShownIDs(known: [name])
    for call in test["calls"]?.array.map({ Array($0) }) ?? [JSONValue]() {
      guard let argument = call.array?.element(at: 1)?.string else {
        _ = visitor.unauthenticate()
        continue
      }
      ids.known.insert(argument)
      _ = visitor.authenticate(as: Array(argument.utf8))
    }
    _ = visitor.fetch(completion: nil)
    // The consent hit of a new visitor goes first.
    world.flush()
    visitor.expose("f")
    world.settle()
    _ = visitor.send(.screen(location: Array("s".utf8)))
    world.flush()
    let own = (text(visitor.id), visitor.anonymousID.map { text($0) })
    report.check(
      id, expected: test["expected"]?.canonicalText ?? "-",
      actual: canonical { writer in
        writer.object { writer in
          ids.write("visitorId", own.0, to: &writer)
          ids.write("anonymousId", own.1, to: &writer)
          let asked = world.transport.requests.last { $0.url.contains("/campaigns") }
          ids.write("decisionRequest", asked, to: &writer, ["visitorId", "anonymousId"]) { $0 }
          ids.write("activate", world.posts("/activate").last, to: &writer, ["vid", "aid"]) { only($0["batch"]) }
          ids.write("hit", world.posts("/").last, to: &writer, ["vid", "cuid"]) { only($0["h"]) }
        }
      })
  }
}

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// The element of a list of one.
private func only(_ list: JSONValue?) -> JSONValue? { list?.array.flatMap { $0.count == 1 ? $0.element(at: 0) : nil } }

/// Ids as vectors write them: those that the vector names, and the one that was made for it.
private struct ShownIDs {
  var known: Set<String>
  private var generated: String?

  init(known: Set<String>) { self.known = known }

  mutating func write(_ name: String, _ id: String?, to writer: inout JSONWriter) {
    writer.key(name)
    guard let id else { return writer.null() }
    if known.contains(id) { return writer.string(id) }
    if generated == nil { generated = id }
    writer.string(generated == id ? "<generated>" : "(another id)")
  }

  /// - Parameter find: the object that carries the ids.
  mutating func write(
    _ name: String, _ request: HTTPRequest?, to writer: inout JSONWriter, _ members: [String],
    find: (JSONValue) -> JSONValue?
  ) {
    writer.key(name)
    guard let body = try? JSONDocument(parsing: request?.body ?? []) else { return writer.string("(no request)") }
    body.withRoot { root in
      guard let object = find(root)?.object else { return writer.string("(not one)") }
      writer.object { writer in for member in members { write(member, object.member(member)?.string, to: &writer) } }
    }
  }
}
