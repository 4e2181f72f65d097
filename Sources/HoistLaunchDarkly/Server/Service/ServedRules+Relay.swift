internal import HoistCore

/// Room that many changes have used up is won back: see `RulesRelay`.
extension ServedRules {
  /// An update is served.
  func relay(after update: ServerUpdate) {
    if update.snapshot == nil, update.patch == nil { return }
    guard let item = update.item else { return relay = nil }
    if relay != nil { return relay?.note(item) ?? () }
    host.withSnapshot { served in
      if let served, served.isWasteful { relay = RulesRelay(of: served, table.resources) }
    }
    if relay != nil { postRelayTurn() }
  }

  private func postRelayTurn() {
    guard !isRelayTurnPosted else { return }
    isRelayTurnPosted = true
    host.scheduler.post { [weak self] in self?.takeRelayTurn() }
  }

  private func takeRelayTurn() {
    isRelayTurnPosted = false
    guard relay != nil else { return }
    let isDone = host.withSnapshot { served in served.flatMap { try? relay?.takeTurn($0) } }
    if isDone == false { return postRelayTurn() }
    let resources = relay?.resources
    // What cannot be laid out anew stays where it is.
    guard isDone == true, let resources, let snapshot = relay.take()?.finish() else { return relay = nil }
    table.continues(with: resources)
    host.publish(snapshot, changed: [])
  }
}
