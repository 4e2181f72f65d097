/// What the service has of a visitor (KAM-46, KAM-53, KAM-68, KAM-70; protocols/kameleoon.md 2.7).
extension KameleoonVisitor {
  /// - Parameter isAdded: whether it is for targeting from now on (KAM-48). The mapping identifier is taken over in any case.
  func merge(_ remote: RemoteVisitorData, isAdded: Bool) {
    change { draft in
      if let code = remote.visitorCode { draft.adopt(mappingIdentifier: code) }
      if isAdded { draft.merge(remote) }
    }
  }
}
