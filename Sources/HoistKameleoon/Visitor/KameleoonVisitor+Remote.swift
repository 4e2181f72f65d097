public import HoistCore
internal import HoistJSON

/// What the service has of a visitor (KAM-46, KAM-53, KAM-68, KAM-70; protocols/kameleoon.md 2.7).
extension KameleoonVisitor {
  /// - Parameter isAdded: whether it is for targeting from now on (KAM-48). The mapping identifier is taken over in any case.
  func merge(_ remote: RemoteVisitorData, isAdded: Bool) {
    change { draft in
      if let code = remote.visitorCode { draft.adopt(mappingIdentifier: code) }
      if isAdded { draft.merge(remote) }
    }
  }

  /// An answer of the service about the visitor's visits that the host has already, with all its parts.
  /// - Parameter isTracked: whether what the service is told of such an answer is sent: the visits, and custom data that belongs
  ///   to the visitor on every device.
  /// - Returns: `.parse` for what is no such answer, `.state` after close, and without the client; `.limit` as `add`.
  public func add(remoteVisitorData body: [UInt8], isTracked: Bool) -> Status {
    whileOpen { registry in
      guard let (remote, leftOut) = RemoteVisitorDataReader.read(body, .all, isStrictVendor: registry.settings.isStrictVendor)
      else { return .parse }
      if leftOut > 0 { registry.host.log.warning("visitor data: \(leftOut) elements are left out: there are too many of a kind") }
      let status = registry.change(self) { draft in
        if let code = remote.visitorCode { draft.adopt(mappingIdentifier: code) }
        draft.merge(remote, isTracked: isTracked)
      }
      return registry.waitForCommit(of: self, status)
    }
  }
}
