import HoistBase
import HoistOptimizely

/// An answer is read the same way twice; names are text; a status alone decides where it is no success.
func checkSegments(_ bytes: ByteView) -> String? {
  let body = Array(bytes)
  let answer = SegmentsAnswer(status: 200, body: body)
  guard answer == SegmentsAnswer(status: 200, body: body) else { return "read otherwise the second time" }
  if case .segments(let names) = answer, !names.allSatisfy({ UTF8Text.isValid($0) }) { return "a segment is not UTF-8" }
  guard SegmentsAnswer(status: 503, body: body) == .failed("503") else { return "a refusal is read" }
  return SegmentsAnswer(status: nil, body: body) == .failed("network error") ? nil : "no answer is read"
}

/// The same for the prediction server.
func checkPrediction(_ bytes: ByteView) -> String? {
  let body = Array(bytes)
  let answer = PredictionAnswer(status: 200, body: body)
  guard answer == PredictionAnswer(status: 200, body: body) else { return "read otherwise the second time" }
  if case .variation(let id) = answer, !UTF8Text.isValid(id) { return "a variation's id is not UTF-8" }
  if answer == .failed { return "an answer counts as none" }
  return PredictionAnswer(status: 500, body: body) == .failed ? nil : "a refusal is read"
}
