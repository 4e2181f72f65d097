public import HoistCore

/// What calls of the core track.
extension KameleoonProvider {
  /// A conversion of the context's visitor, or of the client's own: the key is the goal's id in decimal, the value its
  /// revenue, and the property `negative` is a boolean, or the text "true".
  public func track(_ event: TrackedEvent) -> Status {
    guard let goal = Int64(event.key), goal >= 0 else { return refuse(event, .argument, "its key is no id of a goal") }
    var conversion = Conversion(goalID: goal, revenue: event.value ?? 0)
    for (name, value) in event.properties {
      switch value {
      case .string(let text) where name.utf8.elementsEqual("negative".utf8):
        conversion.isNegative = text.elementsEqual("true".utf8)
      case .bool(let truth) where name.utf8.elementsEqual("negative".utf8): conversion.isNegative = truth
      default: return refuse(event, .unsupported, "a conversion cannot carry its property \"\(name)\"")
      }
    }
    let status = record(conversion, event)
    if status == .kameleoonSDKNotReady { return refuse(event, status, "no configuration has come yet") }
    return status
  }

  private func refuse(_ event: TrackedEvent, _ status: Status, _ why: String) -> Status {
    host?.refuse(event.key, status, why) ?? status
  }

  private func record(_ conversion: Conversion, _ event: TrackedEvent) -> Status {
    let key = event.context?.frozen.targetingKey.map { Array($0) }
    guard let key else { return visitors.own.current?.trackConversion(conversion) ?? .kameleoonSDKNotReady }
    guard let client = host?.client else { return .state }
    do throws(Status) {
      return try visitors.open(key, of: client, waits: false).trackConversion(conversion)
    } catch {
      return error
    }
  }
}
