/// Events that are left to another process to send: property `events.delivery`.
extension Store {
  /// Gives rows back that the store holds; others may claim them then.
  func giveBackEvents(ids: [String], completion: @escaping @Sendable (Bool) -> Void) {
    call(.owner) { manager, owner throws(CacheFailure) in
      try manager.giveBackEvents(ids: ids, owner: owner)
    } answer: { result in
      completion(result.isSuccess)
    }
  }

  /// The client closes: it sends what it has, and takes over no more, or it would go on as long as others record.
  func takeNoMore() { withState { $0.takesNoMore = true } }
  var takesMore: Bool { withState { !$0.takesNoMore } }

  /// Refuses a store from which no other process could take them.
  func checkForwarding(_ values: PropertyValues, isPlugin: Bool) throws(ConfigurationFailure) {
    guard options.forwards else { return }
    let name = "events.delivery"
    let kind = values.text("store")
    guard isPlugin || kind == "sqlite" else {
      throw ConfigurationFailure(
        name, "property \"\(name)\": \"forward\" needs a store that another process reaches; property \"store\" is \"\(kind)\"")
    }
    guard manager?.canGiveBackEvents == true else {
      throw ConfigurationFailure(
        name, "property \"\(name)\": the cache plug-in has no \"put_events\" and \"give_back_events\"; leave it \"own\"")
    }
  }
}

extension Store.Options {
  init(_ values: PropertyValues) {
    self.init()
    forwards = values.text("events.delivery") == "forward"
    claimMilliseconds = values.integer("events.claim_ms")
  }
}
