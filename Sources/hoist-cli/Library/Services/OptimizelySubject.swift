import CHoist
import Glibc

/// A user with segments of the data platform, which the core's calls do not know.
final class OptimizelySubject: DecidingSubject {
  private let user: OpaquePointer

  init(_ client: OpaquePointer, _ context: Context, segments: [String]) throws {
    guard let user = hoist_optimizely_user_new(client, context.targetingKey, context.handle) else {
      throw Problem(.usage, "--segment: a user is needed: give --user KEY")
    }
    self.user = user
    let names = segments.map { strdup($0) }
    defer { for name in names { free(name) } }
    let status = names.map { UnsafePointer($0) }.withUnsafeBufferPointer {
      hoist_optimizely_user_set_segments(user, $0.baseAddress, $0.count)
    }
    guard status == HOIST_OK else { throw Problem(status: status, error: nil) }
  }

  deinit { hoist_optimizely_user_free(user) }

  func decide(_ flag: String) -> JSON? {
    let options = hoist_optimizely_options(HOIST_OPTIMIZELY_DISABLE_DECISION_EVENT)
    guard let decision = hoist_optimizely_user_decide(user, flag, options) else { return nil }
    defer { hoist_optimizely_decision_free(decision) }
    // Unknown flags, and a client that is not ready, are the core's to tell.
    guard let explained = LibraryText(hoist_optimizely_user_explain(user, flag)).flatMap({ JSON(parsing: $0) }),
      case .object = explained
    else { return nil }
    return [
      "key": .string(flag), "enabled": .bool(hoist_optimizely_decision_enabled(decision)),
      "variation": JSON(hoist_optimizely_decision_variation_key(decision).map { String(cString: $0) } ?? ""),
      "value": JSON(parsing: String(cString: hoist_optimizely_decision_variables(decision))) ?? .null,
      "reason": "UNKNOWN", "metadata": ["ruleKey": explained["rule"] ?? .null, "source": explained["source"] ?? .null],
      "explanation": explained,
    ]
  }
}
