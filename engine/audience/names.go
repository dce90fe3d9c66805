package audience

// The members of filters (CONTRACT.md, Audience).
const (
	mFilters       = "filters"
	mJoin          = "filter_operator"
	mType          = "filter_type"
	mDataType      = "data_type"
	mCategory      = "category"
	mName          = "name"
	mID            = "id"
	mOperator      = "operator"
	mValue         = "value"
	mSecond        = "value1"
	mCaseSensitive = "case_sensitive"
	mNegate        = "negate"
	mDynamic       = "is_dynamic_value"
	mEvent         = "action_name"
	mCondition     = "condition"
	mExecution     = "execution"
	mCounting      = "type"
	mTimes         = "count"
	mExecuted      = "executed"
	mConditions    = "attributes"

	mIncluded  = "included_filters"
	mSecondary = "secondary_included_filters"
	mExcluded  = "excluded_filters"
	mEverybody = "is_all_user_campaign"
	mOptOut    = "send_campaign_to_opt_out_users"

	typeAttribute = "user_attributes"
	typeAction    = "actions"
	typeSegment   = "custom_segments"

	joinAnd = "and"
	joinOr  = "or"

	opExists  = "exists"
	opBetween = "between"
)
