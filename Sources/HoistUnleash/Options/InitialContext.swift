internal import HoistBase
internal import HoistCore

/// The property `context`, a document that is read as every other one that describes a context.
enum InitialContext {
  static func members(_ json: String) throws(ConfigurationFailure) -> [String: String] {
    let context: EvaluationContext
    do throws(ContextJSON.Failure) {
      context = try json.withBytes { bytes in
        Result { () throws(ContextJSON.Failure) in try ContextJSON.context(bytes) }
      }.get()
    } catch {
      throw ConfigurationFailure("context", "property \"context\": \(error.message)")
    }
    guard let frozen = context.reference()?.frozen else { return [:] }
    if let name = FrontendContext.formless(in: frozen).first {
      throw ConfigurationFailure(
        "context", "property \"context\": member \"\(name.prefix(80))\" is a list or an object, for which the service has no form"
      )
    }
    return FrontendContext.members(of: frozen)
  }
}
