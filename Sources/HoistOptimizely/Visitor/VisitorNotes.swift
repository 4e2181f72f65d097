/// What the host has said of a user beside attributes: forced decisions and segments. Immutable.
final class VisitorNotes: Sendable {
  /// At most one for each flag and rule.
  let forcedDecisions: [SubjectContent.ForcedDecision]
  /// Nil when they were never fetched, or the last fetch failed.
  let segments: [[UInt8]]?
  /// What evaluators read; nil when nothing in it changes a decision.
  let block: OptimizelySubject?

  init(forcedDecisions: [SubjectContent.ForcedDecision] = [], segments: [[UInt8]]? = nil) {
    self.forcedDecisions = forcedDecisions
    self.segments = segments
    var content = SubjectContent()
    content.forcedDecisions = forcedDecisions
    content.segments = segments
    block = content.isEmpty ? nil : OptimizelySubject(content)
  }

  /// A `SubjectState`; valid as long as the notes.
  var state: UnsafeRawPointer? { block?.state }
}
