extension EventPipeline.Durability {
  /// The value of the property `events.durability`.
  public init(name: String) {
    switch name {
    case "memory": self = .memory
    case "immediate": self = .immediate
    default: self = .periodic
    }
  }
}
