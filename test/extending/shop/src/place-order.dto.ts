import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, MaxLength, Min, ValidateNested } from 'class-validator';

/** What goes with a present. */
export class GiftDto {
  @ApiProperty()
  @MaxLength(200)
  card: string;
}

/** What a customer sends to order a product. */
export class PlaceOrderDto {
  @ApiProperty()
  @IsInt()
  @Min(1)
  quantity: number;

  @ApiProperty({ required: false })
  @IsOptional()
  @ValidateNested()
  @Type(() => GiftDto)
  gift?: GiftDto;
}
