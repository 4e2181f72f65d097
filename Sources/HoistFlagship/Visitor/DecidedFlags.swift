internal import HoistBase
internal import HoistCore

/// What campaigns gave a visitor, and where they are written.
struct DecidedFlags: Sendable {
  /// A document of campaigns that were decided for one visitor alone.
  enum Source: Sendable {
    /// The Decision API's answer.
    case answer([UInt8])
    /// The array of campaigns that an earlier run has stored.
    case kept([UInt8])
  }

  var flags: VisitorFlags
  /// With the assignments that are new.
  var history: AssignmentHistory
  /// nil for campaigns shared by all visitors.
  var source: Source?
}

/// Decides campaigns for a visitor (protocols/flagship.md 4.2, 4.4).
extension DecidedFlags {
  /// By the campaigns that the client serves.
  /// Nil where that costs more than an evaluation may.
  /// - Parameter snapshot: inside a reading section.
  init?(_ snapshot: Snapshot, for state: VisitorState) {
    let visitor = state.identity.visitorID
    let decided = visitor.withBytes {
      VisitorFlags.decide(snapshot, context: state.context, visitor: $0, history: state.history)
    }
    guard let decided else { return nil }
    (flags, history) = decided
  }

  /// By what the service, or an earlier run, has decided.
  init(_ source: Source, for state: VisitorState, _ options: CampaignOptions) throws(CampaignFailure) {
    let served = try source.compile(options)
    let visitor = state.identity.visitorID
    let decided = visitor.withBytes {
      VisitorFlags.decide(owning: served.snapshot, context: state.context, visitor: $0, history: state.history)
    }
    guard let decided else { throw .tooCostly }
    (flags, history) = decided
    self.source = source
  }
}

extension DecidedFlags.Source {
  func compile(_ options: CampaignOptions) throws(CampaignFailure) -> ServedCampaigns {
    switch self {
    case .answer(let text): try DecisionReader.read(text, options)
    case .kept(let text): try DecisionReader.read(KeptCampaigns.answer(text), options)
    }
  }
}
