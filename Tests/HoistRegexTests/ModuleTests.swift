import Testing
@testable import HoistRegex
