internal import HoistCore

/// What a visitor is at one moment. Immutable; any thread.
final class VisitorState: Sendable {
  struct Content: Sendable {
    var identity: VisitorIdentity
    /// As the host and the SDK have set it.
    var pairs: VisitorContext
    /// What campaigns and requests see: the pairs, and those that only the SDK sets.
    var context: ContextReference
    var hasConsented: Bool
    var flags = VisitorFlags.none
    /// Which variations the visitor got (4.4).
    var history = AssignmentHistory.empty
    var progress = FetchProgress.created
  }

  /// Of the flags: saves a reader one indirection. nil where there are none.
  let table: FlagTable?
  let content: Content

  init(_ content: Content) {
    table = content.flags.table
    self.content = content
  }

  var identity: VisitorIdentity { content.identity }
  var context: FrozenContext { content.context.frozen }
  var hasConsented: Bool { content.hasConsented }
  var flags: VisitorFlags { content.flags }
  var history: AssignmentHistory { content.history }
  var fetchStatus: FetchStatus { content.progress.status }

  /// What the visitor cache keeps (6.1).
  var record: CachedVisitor {
    CachedVisitor(
      visitorID: identity.visitorID, anonymousID: identity.anonymousID, hasConsented: hasConsented,
      context: ContextText.json(context), campaigns: KeptCampaigns.json(of: flags),
      assignments: withExtendedLifetime(history) {
        history.assignments.map { .init(groupID: Array($0.group), variationID: Array($0.variation)) }
      })
  }
}
