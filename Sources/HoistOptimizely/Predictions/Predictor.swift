/// Who is asked for the choice of a contextual bandit (protocols/optimizely.md 4.15): the prediction service, or a test.
protocol Predictor: AnyObject, Sendable {
  /// - Parameter completion: once, on any thread, perhaps within the call. A prediction without a variation tells that
  ///   the service could not be asked; the UUID is that of the request that was answered, which an earlier decision may
  ///   have made.
  func predict(
    _ request: PredictionRequest, options: DecideOptions,
    completion: @escaping @Sendable (SubjectContent.Prediction) -> Void)
}
