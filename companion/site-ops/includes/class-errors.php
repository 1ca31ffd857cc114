<?php
/**
 * The plugin's own error codes.
 *
 * @package SiteOps
 */

namespace SiteOps;

use WP_Error;

defined( 'ABSPATH' ) || exit;

/** Makes errors; the table of codes is the interface, callers branch on it. */
final class Errors {

	/** HTTP status of each code, without the prefix site_ops_. */
	const STATUS = array(
		'post_not_found'          => 404,
		'published'               => 409,
		'stale'                   => 409,
		'not_allowed'             => 403,
		'elsewhere'               => 409,
		'busy'                    => 503,
		'seo_provider_missing'    => 409,
		'seo_not_shown'           => 422,
		'schema_provider_missing' => 409,
		'schema_entry_not_found'  => 404,
		'value_type'              => 422,
		'invalid_json'            => 422,
		'redirect_loop'           => 422,
		'redirect_target'         => 422,
		'template_not_found'      => 404,
		'template_data'           => 422,
		'missing_placeholder'     => 422,
		'visual_inactive'         => 409,
		'too_large'               => 413,
		'disallowed'              => 422,
		'incomplete'              => 500,
		'pairing_code'            => 403,
		'pairing_limit'           => 409,
		'hold_signature'          => 403,
		'hold_header'             => 400,
		'hold_unsupported'        => 501,
		'hold_used'               => 409,
		'hold_escaped'            => 409,
		'hold_not_found'          => 404,
		'hold_other_key'          => 403,
		'held'                    => 409,
		'setback_unknown'         => 422,
	);

	/**
	 * An error with its own code and status.
	 *
	 * @param string $code    A key of STATUS.
	 * @param string $message What was wrong and the way out.
	 * @param array  $data    Facts for the caller.
	 * @return WP_Error
	 */
	public static function make( $code, $message, array $data = array() ) {
		return new WP_Error( 'site_ops_' . $code, $message, array( 'status' => self::STATUS[ $code ] ) + $data );
	}

	/**
	 * What WordPress itself says of a wrong argument.
	 *
	 * @param string $param   Name of the argument.
	 * @param string $message What was wrong with it.
	 * @return WP_Error
	 */
	public static function argument( $param, $message ) {
		return new WP_Error(
			'rest_invalid_param',
			/* translators: %s: name of an argument */
			sprintf( __( 'Invalid parameter(s): %s', 'site-ops' ), $param ),
			array(
				'status' => 400,
				'params' => array( $param => $message ),
			)
		);
	}

	/**
	 * A write that stopped half way: the post is there and keeps its number, so that nobody makes a second one.
	 *
	 * @param int    $post_id The post that was made or changed.
	 * @param string $message What failed.
	 * @return WP_Error
	 */
	public static function incomplete( $post_id, $message ) {
		/* translators: 1: what failed, 2: number of a post */
		$text = sprintf( __( '%1$s; the draft %2$d is there without it', 'site-ops' ), $message, $post_id );
		return self::make( 'incomplete', $text, array( 'post_id' => $post_id ) );
	}
}
